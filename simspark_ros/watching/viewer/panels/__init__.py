"""Parts of the page's panel, one file each; none computes anything for what nobody has chosen to see."""
