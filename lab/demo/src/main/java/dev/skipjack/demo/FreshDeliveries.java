package dev.skipjack.demo;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * A given number of deliveries with fresh ids. Their content comes from an input that is repeated
 * if it is too short.
 */
final class FreshDeliveries implements DeliverySource {

  private final Supplier<? extends DeliverySource> input;
  private final UUID run;
  private final long count;
  private DeliverySource pass;
  private long given;
  private String source = "";

  /**
   * @param input opens the input at its beginning
   * @param run the id of the run, which makes the ids differ from those of all other runs
   */
  FreshDeliveries(Supplier<? extends DeliverySource> input, UUID run, long count) {
    this.input = input;
    this.run = run;
    this.count = count;
    this.pass = input.get();
  }

  /** Returns the id of the n-th delivery of a run. */
  static UUID id(UUID run, long number) {
    return UUID.nameUUIDFromBytes((run + "/" + number).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Optional<Arrival> next() {
    if (given == count) {
      return Optional.empty();
    }
    Optional<Arrival> next = pass.next();
    if (next.isEmpty() && given > 0) {
      next = begunAnew();
    }
    return next.map(this::renamed);
  }

  private Optional<Arrival> begunAnew() {
    if (pass.isRepeatable()) {
      pass.close();
      pass = input.get();
      Optional<Arrival> next = pass.next();
      if (next.isPresent()) {
        return next;
      }
    }
    throw new BadInputException(
        source,
        "only %,d of %,d deliveries could be made, because the input cannot be read a second time"
            .formatted(given, count));
  }

  private Arrival renamed(Arrival arrival) {
    given++;
    source = arrival.source();
    return new Arrival(arrival.delivery().withId(id(run, given)), arrival.source(), arrival.line());
  }

  @Override
  public void close() {
    pass.close();
  }
}
