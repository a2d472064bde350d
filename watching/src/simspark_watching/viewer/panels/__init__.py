"""Parts of the page's panel, one file each; none computes anything that nobody has chosen to see."""
