"""A step as a trainer computed it, and whether its loss lies on the tokens that were drawn. Knows no trainer."""

from dataclasses import dataclass

from torch import Tensor


@dataclass
class Seen:
    """Tokens of completions only, a row each. `drawn`: by the model; `said`: by anyone, 0 on padding; `slope`: the derivative of the trainer's loss by
    each token's log probability."""

    drawn: Tensor
    said: Tensor
    sampled: Tensor
    own: Tensor
    slope: Tensor
    advantages: Tensor
    loss: float

    def drift(self, shift: int = 0) -> Tensor:
        """How far the trainer's log probability of each drawn token lies from the one it was sampled with; as a mask would have it that is late by `shift`."""
        drawn, sampled = self.drawn.roll(shift, 1), self.sampled.roll(shift, 1)
        return (self.own - sampled).abs()[(drawn * self.said).bool()]

    @property
    def strays(self) -> int:
        """Tokens that no model drew and that the loss reaches: 0, or it is on the wrong ones."""
        return int(((self.slope != 0) & (self.drawn == 0)).sum())

    @property
    def error(self) -> float:
        """Of the slopes, over the largest. On the policy that sampled, ratios are 1, and a mean over drawn tokens has the slope −advantage / tokens."""
        due = -self.advantages * self.drawn / self.drawn.sum()
        return ((self.slope - due).abs().max() / due.abs().max().clamp(min=1e-12)).item()

    def say(self):
        late, early = self.drift(1).mean(), self.drift(-1).mean()
        rollouts = self.drawn.sum(1) > 0  # a row that fills a group is none
        composed = (self.said - self.drawn)[rollouts].sum()
        print(f'{int(rollouts.sum())} rollouts, {int(self.drawn.sum())} drawn tokens, {int(composed)} composed')
        print(f'log probabilities differ from those sampled by {self.drift().mean():.4f} on average, {self.drift().max():.3f} at most')
        print(f'with the mask late by one token by {late:.3f}, early by one by {early:.3f}')
        print(f'the loss reaches {int((self.slope != 0).sum())} tokens, {self.strays} of them not drawn')
        print(f'its slopes are the advantages over the drawn tokens, within {self.error:.1e}')
        print(f'loss {self.loss:.4f}')
