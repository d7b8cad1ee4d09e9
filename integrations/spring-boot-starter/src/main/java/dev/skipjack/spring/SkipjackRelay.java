package dev.skipjack.spring;

import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the relay that publishes the events of the application's outbox.
 *
 * <p>The relay is started after all other beans, and stopped before the connection pool and the
 * {@link Publisher}. Stopping waits for the batches in progress, as {@link Relay#close} does. If
 * there is no {@code Publisher} bean, no relay is started.
 *
 * <p>A context that is stopped and started again gets a new relay. Safe for any number of threads.
 */
public final class SkipjackRelay implements SmartLifecycle, DisposableBean {

  private static final Logger LOG = LoggerFactory.getLogger(SkipjackRelay.class);

  /** Is called before a relay is started. */
  @FunctionalInterface
  interface Listener {
    void starting(Relay relay);
  }

  private final Outbox outbox;
  private final SkipjackOutboxProperties.Relay properties;
  private final ConfigurableListableBeanFactory beans;

  /** The lock that a thread holds while it stops the relay. */
  private final Object stopping = new Object();

  private @Nullable Relay relay;

  SkipjackRelay(
      Outbox outbox,
      SkipjackOutboxProperties.Relay properties,
      ConfigurableListableBeanFactory beans) {
    this.outbox = outbox;
    this.properties = properties;
    this.beans = beans;
  }

  /**
   * Starts the relay.
   *
   * @throws IllegalArgumentException if a property is out of range
   * @throws IllegalStateException if there are several {@code Publisher} beans
   */
  @Override
  public synchronized void start() {
    if (relay != null) {
      return;
    }
    Optional<Relay> built = build();
    if (built.isEmpty()) {
      LOG.info("Relay not started, because there is no Publisher bean");
      return;
    }
    Relay starting = built.get();
    beans
        .getBeanProvider(Listener.class)
        .orderedStream()
        .forEach(listener -> listener.starting(starting));
    relay = starting.start();
  }

  /**
   * Builds another relay with the same settings, which is not started. Intended for tests, which
   * publish in the calling thread with {@link Relay#runUntilIdle}. The caller must close it.
   *
   * @return the relay, or empty if there is no {@code Publisher} bean
   * @throws IllegalArgumentException if a property is out of range
   * @throws IllegalStateException if there are several {@code Publisher} beans
   */
  public Optional<Relay> build() {
    return publisher().map(this::builder).map(Relay.Builder::build);
  }

  private Optional<Publisher> publisher() {
    String[] names = beans.getBeanNamesForType(Publisher.class);
    if (names.length == 0) {
      return Optional.empty();
    }
    Publisher publisher = beans.getBeanProvider(Publisher.class).getIfUnique();
    if (publisher == null) {
      throw new IllegalStateException(
          "The application has several publishers of events: %s. Mark the one of the relay with @Primary, or combine them in one Publisher."
              .formatted(String.join(", ", names)));
    }
    return Optional.of(publisher);
  }

  private Relay.Builder builder(Publisher publisher) {
    Relay.Builder builder = outbox.relay(publisher);
    set("name", properties.name(), builder::name);
    set("threads", properties.threads(), builder::threads);
    set("shards", properties.shards(), builder::shards);
    set("batch-size", properties.batchSize(), builder::batchSize);
    set("lease", properties.lease(), builder::lease);
    set("publish-timeout", properties.publishTimeout(), builder::publishTimeout);
    set("poll-interval", properties.pollInterval(), builder::pollInterval);
    set("retention", properties.retention(), builder::retention);
    set("max-attempts", properties.maxAttempts(), builder::maxAttempts);
    if (properties.skipDeadEvents()) {
      builder.skipDeadEvents();
    }
    beans
        .getBeanProvider(RelayCustomizer.class)
        .orderedStream()
        .forEach(customizer -> customizer.customize(builder));
    return builder;
  }

  private static <V> void set(String property, @Nullable V value, Consumer<V> setter) {
    if (value == null) {
      return;
    }
    try {
      setter.accept(value);
    } catch (IllegalArgumentException invalid) {
      throw new IllegalArgumentException(
          "Property 'skipjack.outbox.relay.%s' is invalid. %s"
              .formatted(property, invalid.getMessage()),
          invalid);
    }
  }

  /** Stops the relay. If another thread is stopping it, waits until it has stopped. */
  @Override
  public void stop() {
    synchronized (stopping) {
      Relay stopped;
      synchronized (this) {
        stopped = relay;
        relay = null;
      }
      if (stopped != null) {
        stopped.close();
      }
    }
  }

  /**
   * Stops the relay in a thread of its own, so that the worker stops at the same time. Afterwards,
   * Spring stops the beans that the publisher uses.
   */
  @Override
  public void stop(Runnable callback) {
    new Thread(
            () -> {
              try {
                stop();
              } finally {
                callback.run();
              }
            },
            "skipjack-relay-stop")
        .start();
  }

  /**
   * Stops the relay if Spring has not done so, because the start of another bean failed. Waits if
   * it is still stopping, because Spring waits for a limited time only.
   */
  @Override
  public void destroy() {
    stop();
  }

  @Override
  public synchronized boolean isRunning() {
    return relay != null;
  }

  /** Returns {@code skipjack.outbox.relay.auto-startup}. */
  @Override
  public boolean isAutoStartup() {
    return properties.autoStartup();
  }

  /** Returns the latest phase, so that the relay is started last and stopped first. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }

  /** {@return the running relay, or empty if none was started or it was stopped} */
  public synchronized Optional<Relay> relay() {
    return Optional.ofNullable(relay);
  }
}
