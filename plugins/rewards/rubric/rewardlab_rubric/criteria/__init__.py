"""Rubrics of criteria, each with a weight and a sign, of which a judge says in one reply which ones are met."""
