"""Questions for a person: their text, their widths, and the way of a reply."""
