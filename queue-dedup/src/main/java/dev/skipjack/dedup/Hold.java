package dev.skipjack.dedup;

import dev.skipjack.api.spi.UniqueUntil;
import java.time.Duration;

/** For how long a key is held. */
sealed interface Hold {

  Hold UNTIL_STARTED = new ByJob(UniqueUntil.STARTED);

  /** By the job, in its row. */
  record ByJob(UniqueUntil until) implements Hold {}

  /** For a time, whatever becomes of the job. */
  record ForPeriod(Duration length) implements Hold {}
}
