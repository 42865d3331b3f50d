"""`rewardlab plugins new`: a distribution to start from, whose component keeps every law of its kind.

In go a name, a kind of component and a folder. Out come the files of a distribution, with its tests, and the commands
to type next.

    scaffold  writes the files, from the templates
    kinds     what each kind's examples are called, and what their tests need
    naming    which names a new plugin can have
    full/     the templates, a folder for each kind and `every` for all of them; @name@ and the like are filled in
    minimal/  those of the smallest distributions
"""
