"""What a path leads to beyond itself: by the links of a tree, by what a file includes."""
