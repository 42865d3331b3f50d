"""The commands run, check and eval, one file each: the options, and what is done with them."""
