package dev.skipjack.cli.demo;

import dev.skipjack.cli.DatabaseAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * What the user asked for, checked.
 *
 * @param input file to read; empty: deliveries are generated
 * @param jobs how many distinct deliveries; empty: the input once
 * @param workers how many workers
 * @param address database to use; empty: a server of our own
 * @param resume whether nothing is sent and what is there is drained
 */
record DemoOptions(
    Optional<Path> input,
    OptionalLong jobs,
    int workers,
    Optional<DatabaseAddress> address,
    boolean resume) {

  private static final long GENERATED = 1_000;

  /** How many deliveries there will be; empty when the length of the input decides. */
  OptionalLong expected() {
    return jobs.isPresent() || input.isPresent() ? jobs : OptionalLong.of(GENERATED);
  }

  /**
   * Opens the input. With {@code --jobs} every id is fresh, so that the file may be repeated and
   * sent again by the next run.
   *
   * @throws BadInputException if it cannot be read
   */
  DeliverySource open(UUID run) {
    if (input.isEmpty()) {
      return new WebhookGenerator(run, jobs.orElse(GENERATED));
    }
    Path file = input.get();
    return jobs.isEmpty()
        ? JsonLinesFile.open(file)
        : new FreshDeliveries(() -> JsonLinesFile.open(file), run, jobs.getAsLong());
  }
}
