"""math answers against gold ones"""
