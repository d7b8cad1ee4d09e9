package dev.skipjack.api.spi;

import java.time.Duration;

/**
 * A lane that has a due job.
 *
 * @param lane the lane
 * @param waited how long the oldest due job of the lane has been due, by the database clock; not
 *     negative
 */
public record DueLane(Lane lane, Duration waited) {}
