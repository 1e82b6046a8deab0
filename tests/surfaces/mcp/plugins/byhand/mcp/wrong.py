"""A module that makes something else."""


def create_server() -> str:
    return "a server"
