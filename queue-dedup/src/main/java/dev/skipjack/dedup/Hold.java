package dev.skipjack.dedup;

import dev.skipjack.api.spi.UniqueUntil;
import java.time.Duration;

/** Determines how long a key is held. */
sealed interface Hold {

  Hold UNTIL_STARTED = new ByJob(UniqueUntil.STARTED);

  /** The key is stored in the row of the job, which holds it until the given event. */
  record ByJob(UniqueUntil until) implements Hold {}

  /** The key is held for a fixed time, regardless of the job's outcome. */
  record ForPeriod(Duration length) implements Hold {}
}
