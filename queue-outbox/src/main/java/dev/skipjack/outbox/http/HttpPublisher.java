package dev.skipjack.outbox.http;

import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.RecordedEvent;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends each event as a POST request whose body is the payload. The next event of an aggregate is
 * sent after the previous one was accepted; different aggregates are sent in parallel.
 *
 * <p>A response has this result:
 *
 * <table>
 *   <caption>Responses</caption>
 *   <tr><th>response<th>result
 *   <tr><td>2xx<td>sent
 *   <tr><td>400, 413, 415, 422<td>dead: the endpoint refuses this event
 *   <tr><td>429, 502, 503, 504, or none<td>the endpoint is unavailable, and another attempt follows. If all events have one endpoint, the attempt counts only if the endpoint was available for another event of the batch
 *   <tr><td>3xx, because redirects are not followed, and all others<td>another attempt
 * </table>
 *
 * <p>After 429 or 503 with a {@code Retry-After} header, nothing is sent to this URI before that
 * time, at most for an hour. Meanwhile, events of other endpoints are sent.
 *
 * <p>Each request has these headers, so that consumers can recognize duplicates and verify the
 * signature with any library for <em>Standard Webhooks</em>:
 *
 * <ul>
 *   <li>{@code webhook-id}: the event's id
 *   <li>{@code webhook-timestamp}: the time of the attempt, in seconds since 1970 by this machine's
 *       clock
 *   <li>{@code webhook-signature}: HMAC-SHA256 over id, timestamp and body, if the endpoint has a
 *       secret
 *   <li>{@code skipjack-event-type}, {@code skipjack-aggregate-type}, {@code skipjack-aggregate-id}
 *       and, for each header of the event, {@code skipjack-header-} and its name, in which {@code
 *       :} and {@code /} are replaced with {@code -}. In their values, {@code %} and all characters
 *       other than visible ASCII are percent-encoded in UTF-8
 *   <li>{@code content-type} and, if the event has one, {@code traceparent}
 * </ul>
 *
 * <p>Safe for any number of threads. Errors name the host of the endpoint, but neither its path nor
 * any secret.
 */
public final class HttpPublisher implements Publisher, AutoCloseable {

  private static final int IDLE_SECONDS = 10;

  private final EventRequests requests;
  private final ThreadPoolExecutor threads;
  private final Settings settings;

  private HttpPublisher(Builder settings) {
    this.requests =
        new EventRequests(
            settings.client == null
                ? HttpClient.newBuilder().connectTimeout(settings.timeout).build()
                : settings.client,
            settings.endpoints,
            settings.timeout,
            settings.privateAddresses);
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE, // the slots limit the threads
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "outbox-http-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    Duration patience = Settings.patience(settings.timeout);
    this.settings =
        new Settings(
            threads,
            new RequestSlots(settings.concurrency),
            new SlowServers(
                patience.multipliedBy(2),
                settings.timeout.plus(patience.multipliedBy(2)),
                System::nanoTime),
            settings.concurrency,
            settings.timeout,
            settings.hasOneEndpoint);
  }

  /**
   * {@return a builder of a publisher that sends all events to one endpoint}
   *
   * @param endpoint the endpoint
   */
  public static Builder to(HttpEndpoint endpoint) {
    Objects.requireNonNull(endpoint, "endpoint");
    return new Builder(event -> endpoint, true);
  }

  /**
   * {@return a builder of a publisher that looks up the endpoint of each event, for example the one
   * that a customer has registered} An event for which the function throws or returns null is tried
   * again after the relay's backoff.
   *
   * @param endpoints safe for any number of threads
   */
  public static Builder to(Function<RecordedEvent, @Nullable HttpEndpoint> endpoints) {
    return new Builder(Objects.requireNonNull(endpoints, "endpoints"), false);
  }

  /**
   * {@inheritDoc}
   *
   * <p>If the thread is interrupted, requests in progress are aborted.
   *
   * @throws IOException if all events have one endpoint, and it was unavailable for each event that
   *     was sent
   * @throws IllegalStateException if the publisher was closed
   */
  @Override
  public List<PublishResult> publish(EventBatch batch) throws IOException {
    if (threads.isShutdown()) {
      throw new IllegalStateException("The HTTP publisher was closed. Close the relay first.");
    }
    return new BatchDelivery(batch, requests, settings).run();
  }

  @Override
  public Duration longestWait() {
    return settings.timeout();
  }

  /** Aborts requests and ends the threads. Close the relays that use this publisher first. */
  @Override
  public void close() {
    List<Runnable> unused = threads.shutdownNow(); // none waits for a thread
  }

  /** Builds an {@link HttpPublisher}. Not thread-safe. */
  public static final class Builder {

    private static final int MOST_REQUESTS = 256;
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Function<RecordedEvent, @Nullable HttpEndpoint> endpoints;
    private final boolean hasOneEndpoint;
    private @Nullable HttpClient client;
    private Duration timeout = Duration.ofSeconds(10);
    private int concurrency = 8;
    private boolean privateAddresses;

    private Builder(
        Function<RecordedEvent, @Nullable HttpEndpoint> endpoints, boolean hasOneEndpoint) {
      this.endpoints = endpoints;
      this.hasOneEndpoint = hasOneEndpoint;
    }

    /**
     * Sets how long an endpoint may take to respond, including the time to connect. Keep it far
     * below the relay's publish timeout. Default 10 s.
     *
     * @param timeout 1 ms to 10 min
     * @return this builder
     */
    public Builder timeout(Duration timeout) {
      if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "Timeout %s must be from 1 ms to 10 min.".formatted(timeout));
      }
      this.timeout = timeout;
      return this;
    }

    /**
     * Sets the maximum number of requests at once, over all threads of the relay. Default 8.
     *
     * <p>If events may have different endpoints, slow requests do not count, so that slow servers
     * cannot hold up the others. There may be sixteen times as many slow requests in addition. A
     * request is slow after a second, or after a fifth of the timeout if that is shorter. Until a
     * server has responded quickly in a batch, a request to it is slow after a tenth of that time.
     *
     * @param requests 1 to 256
     * @return this builder
     */
    public Builder concurrency(int requests) {
      if (requests < 1 || requests > MOST_REQUESTS) {
        throw new IllegalArgumentException(
            "Concurrency %d must be from 1 to %d.".formatted(requests, MOST_REQUESTS));
      }
      this.concurrency = requests;
      return this;
    }

    /**
     * Sets the client, for example one with a proxy or a client certificate.
     *
     * @param client the client
     * @return this builder
     * @throws IllegalArgumentException if it follows redirects, because a redirect could lead to a
     *     private address, and the event would be sent with its signature to another server
     */
    public Builder client(HttpClient client) {
      if (client.followRedirects() != HttpClient.Redirect.NEVER) {
        throw new IllegalArgumentException(
            "The HTTP client follows redirects (%s). Build it with Redirect.NEVER."
                .formatted(client.followRedirects()));
      }
      this.client = client;
      return this;
    }

    /**
     * Allows endpoints whose host has a private, local or otherwise special address. By default,
     * events are not sent to them, because a URI that a customer entered must not reach the servers
     * of your own network.
     *
     * <p>The check cannot replace a firewall. The addresses are looked up before each request, and
     * the client looks them up again when it connects. The JVM caches a lookup for 30 seconds by
     * default ({@code networkaddress.cache.ttl}). If this time ends between the two lookups, a name
     * server can return another address. If customers enter URIs, also send through a proxy that
     * refuses private addresses; see {@link #client}.
     *
     * @return this builder
     */
    public Builder allowPrivateAddresses() {
      this.privateAddresses = true;
      return this;
    }

    /**
     * Builds the publisher.
     *
     * @return the publisher
     */
    public HttpPublisher build() {
      return new HttpPublisher(this);
    }
  }
}
