package dev.skipjack.dedup;

import dev.skipjack.api.spi.UniqueUntil;
import java.time.Duration;

/** How long a key is held. */
sealed interface Hold {

  Hold UNTIL_STARTED = new ByJob(UniqueUntil.STARTED);

  /** The job holds the key, in its row. */
  record ByJob(UniqueUntil until) implements Hold {}

  /** The key is held for a fixed time, regardless of the job's outcome. */
  record ForPeriod(Duration length) implements Hold {}
}
