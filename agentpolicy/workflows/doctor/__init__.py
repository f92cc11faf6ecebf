"""`doctor`: is everything wired, and is a loosening that nobody approved refused?"""
