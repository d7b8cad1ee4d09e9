package dev.skipjack.api.spi;

import java.time.Duration;

/**
 * A lane with a due job.
 *
 * @param lane the lane
 * @param waited how long its oldest due job has been due, by the database's clock; not negative
 */
public record DueLane(Lane lane, Duration waited) {}
