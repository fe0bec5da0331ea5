"""Questions for the user: their text, their widths, and the way of a reply."""
