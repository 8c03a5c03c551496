"""The one exception a user can cause."""


class InputError(ValueError):
    """A value, key or file that cannot be used.

    Its message is one sentence that names the thing, says what is allowed and what to do.
    The command line prints it and exits with 2; nothing has been written by then.
    """
