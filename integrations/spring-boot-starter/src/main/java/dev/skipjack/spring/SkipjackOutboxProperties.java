package dev.skipjack.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the outbox, if {@code queue-outbox} is on the class path. Settings without a
 * value have the default of {@code Relay.Builder}.
 *
 * @param relay The relay.
 */
@ConfigurationProperties("skipjack.outbox")
public record SkipjackOutboxProperties(@DefaultValue Relay relay) {

  /**
   * The relay, which publishes the recorded events with the Publisher bean.
   *
   * @param enabled Whether the application publishes events. If false, it only records them and has
   *     no relay threads.
   * @param autoStartup Whether the relay starts with the application. If false, it starts when the
   *     application calls SkipjackRelay.start().
   * @param name Name of the relay in logs, thread names, leases and metrics. If not set, the name
   *     is random.
   * @param threads Number of threads, each of which publishes a batch at a time. Default 1.
   * @param shards Maximum number of shards that a batch leases. Default 8.
   * @param batchSize Approximate maximum number of events in a batch. Default 500.
   * @param lease How long a lease stays valid without renewal. Default 30 s.
   * @param publishTimeout How long the publisher may begin to send events of a batch, at least a
   *     third of the lease. The other events wait for the next batch. Default 60 s.
   * @param pollInterval Maximum time between two queries while there is nothing to publish. Default
   *     1 s.
   * @param retention How long published events are kept. Default 7 days.
   * @param maxAttempts Number of failed attempts after which an event is dead. Default 25.
   * @param skipDeadEvents Whether an aggregate continues after a dead event, which is then missing
   *     at the destination until it is redriven.
   */
  public record Relay(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("true") boolean autoStartup,
      @Nullable String name,
      @Nullable Integer threads,
      @Nullable Integer shards,
      @Nullable Integer batchSize,
      @Nullable Duration lease,
      @Nullable Duration publishTimeout,
      @Nullable Duration pollInterval,
      @Nullable Duration retention,
      @Nullable Integer maxAttempts,
      @DefaultValue("false") boolean skipDeadEvents) {}
}
