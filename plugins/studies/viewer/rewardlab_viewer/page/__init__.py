"""The page itself: figures and texts as one HTML file that asks for nothing, or as a folder for a large ledger.

page        reads the sources once, and writes the page
target      where it may be written
run_view    what the page shows of one source
chunks      texts of groups, packed while the ledger is read
questions   questions to judges with their replies, packed
numbers     the numbers of completions as the browser gets them: typed arrays, packed
policy      the content security policy, with a hash of each script and style
templates/  HTML by jinja2, which escapes everything
assets/     the scripts and the style; vendor/ has uPlot, which draws curves
"""
