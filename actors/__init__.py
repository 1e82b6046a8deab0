"""A small kernel for actors on Trio: typed links, one supervisor, explicit ends.

* An *actor* is an object with ``async def run(self)``. It owns the ends of the links it was given.
* A `Link` is a bounded road for values of one type, from one actor to another. The sender says
  when it is finished; everything else is a truncation.
* A `Latest` is a mailbox for one value, for news that only count when they are new. A receiver
  can sleep on its link and on one of these: `Inbox.receive_or`.
* A `Reply` is one value that changes hands once.
* A *supervisor* is the nursery they live in. One crash cancels the others; no one is restarted.

An actor and its wiring::

    @attrs.frozen(kw_only=True)
    class Doubler:
        numbers: Inbox[int]
        doubled: Outbox[int]

        async def run(self) -> None:
            with self.numbers, self.doubled:
                async for number in self.numbers:
                    await self.doubled.send(2 * number)
                await self.doubled.finish()

    numbers, doubled = Link[int](), Link[int]()
    async with open_supervisor() as supervisor:
        supervisor.start(Counter(numbers=numbers.outbox))
        supervisor.start(Doubler(numbers=numbers.inbox, doubled=doubled.outbox))
        supervisor.start(Printer(doubled=doubled.inbox))

Ends are opened with ``with``, never ``async with``. What an actor needs travels in its messages or
its attributes: there is no registry, no address, no state shared behind the links.

Read `errors`, `parcel`, `link`, `latest`, `reply`, `supervisor`, in this order. `actors.testing` strikes a
program at every step it takes and looks for what was left behind; it is not imported from here.
The package needs Trio and the standard library only.
"""

from actors.errors import (
    ActorError as ActorError,
    EndClosedError as EndClosedError,
    LinkFinishedError as LinkFinishedError,
    LinkTruncatedError as LinkTruncatedError,
    PeerGoneError as PeerGoneError,
    ReplyTwiceError as ReplyTwiceError,
    SlotEmptyError as SlotEmptyError,
)
from actors.latest import Latest as Latest
from actors.link import Inbox as Inbox, Link as Link, Outbox as Outbox
from actors.parcel import Mark as Mark
from actors.reply import Reply as Reply
from actors.supervisor import (
    Actor as Actor,
    Supervisor as Supervisor,
    open_supervisor as open_supervisor,
)
