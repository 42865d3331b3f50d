"""boxes and tags"""
