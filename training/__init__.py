"""Trains the saplings: the small models that ship with coppice, and the tasks they solve."""
