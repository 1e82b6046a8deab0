"""Every error that the kernel itself raises.

::

    ActorError
    ├── EndClosedError       you used an end of a link that you had closed
    ├── LinkFinishedError    you sent something after the last value
    ├── LinkTruncatedError   the sender left before it said that it was finished
    ├── PeerGoneError        the receiver left before it had taken everything
    ├── ReplyTwiceError      you gave a reply a second value
    └── SlotEmptyError       you took from a `Latest` or a `Reply` that holds nothing

Two of them, `LinkTruncatedError` and `PeerGoneError`, are *echoes*: they tell an actor that its
neighbour is gone, not why. When the neighbour crashed, its own error is the cause, and
`open_supervisor` leaves the echo out. The other four are mistakes of the caller.
"""


class ActorError(Exception):
    """Anything the kernel raises; catch a subclass instead whenever one will do."""


class EndClosedError(ActorError):
    """An end of a link was used after its owner closed it, or while its owner closed it.

    As in Trio, *closed* means that this side did it; of the other side we say that it is gone.
    """


class LinkFinishedError(ActorError):
    """Something was sent, or the link finished once more, after `Outbox.finish`."""


class LinkTruncatedError(ActorError):
    """The sending actor closed its end without having finished.

    An actor that crashes closes its ends too, so a closed link never means success.
    """


class PeerGoneError(ActorError):
    """The receiving actor closed its end while a value was offered to it."""


class ReplyTwiceError(ActorError):
    """A reply that already holds its one value was given another."""


class SlotEmptyError(ActorError):
    """A value was taken, without waiting, from a place that holds none."""
