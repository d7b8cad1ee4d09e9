package dev.skipjack.api.spi;

/**
 * What became of a {@link Failure}.
 *
 * @param verdict whether it was written
 * @param dead whether the job is dead now; false unless written
 */
public record FailureVerdict(Verdict verdict, boolean dead) {}
