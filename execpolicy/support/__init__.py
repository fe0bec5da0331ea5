"""What every stage needs and no policy is about: values, JSON, directories, data files."""
