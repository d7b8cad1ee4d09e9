package dev.skipjack.outbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.RecordedEvent;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends single events. Thread-safe. */
final class EventRequests {

  private final HttpClient client;
  private final Function<RecordedEvent, @Nullable HttpEndpoint> endpoints;
  private final Duration timeout;
  private final boolean privateAddresses;
  private final Pauses pauses = new Pauses();

  /**
   * @param timeout the maximum duration of a request
   * @param privateAddresses whether events may be sent to hosts with private addresses
   */
  EventRequests(
      HttpClient client,
      Function<RecordedEvent, @Nullable HttpEndpoint> endpoints,
      Duration timeout,
      boolean privateAddresses) {
    this.client = client;
    this.endpoints = endpoints;
    this.timeout = timeout;
    this.privateAddresses = privateAddresses;
  }

  /**
   * Looks up the endpoint of an event.
   *
   * @throws RuntimeException if the application's function throws it or returns null
   */
  HttpEndpoint endpoint(RecordedEvent event) {
    HttpEndpoint endpoint = endpoints.apply(event);
    if (endpoint == null) {
      throw new IllegalStateException(
          "No endpoint was found for the event. The function that was given to"
              + " HttpPublisher.to returned null.");
    }
    return endpoint;
  }

  /** Returns how long the endpoint is paused; zero or negative if it is not. */
  Duration pause(HttpEndpoint endpoint) {
    return pauses.left(endpoint.uri());
  }

  /**
   * Sends an event.
   *
   * @param batch the batch of the event. When its time has passed, the request is not begun
   * @throws InterruptedException if the thread was interrupted; the request is aborted
   */
  Response send(RecordedEvent event, HttpEndpoint endpoint, EventBatch batch)
      throws InterruptedException {
    if (!privateAddresses) {
      Optional<Response> refused = refused(endpoint.host());
      if (refused.isPresent()) {
        return refused.get();
      }
    }
    HttpRequest request = request(event, endpoint);
    if (Thread.interrupted()) { // the lookup of the addresses ignores interrupts
      throw new InterruptedException("Aborted before sending");
    }
    if (batch.timeLeft().isZero()) {
      return Response.settled(PublishResult.notTried());
    }
    Response attempt = exchange(request, endpoint.host());
    if (!attempt.pause().isZero()) {
      pauses.pause(endpoint.uri(), attempt.pause());
    }
    return attempt;
  }

  private static Optional<Response> refused(String host) {
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (!PublicAddresses.contains(address)) {
          return Optional.of(
              Response.settled(
                  PublishResult.retry(
                      "%s has the address %s, which is not public. If events may be sent there, call"
                              .formatted(host, address.getHostAddress())
                          + " allowPrivateAddresses() on the builder of the publisher.")));
        }
      }
      return Optional.empty();
    } catch (UnknownHostException unknown) {
      return Optional.of(Response.withoutResponse("No address was found for " + host));
    }
  }

  private HttpRequest request(RecordedEvent event, HttpEndpoint endpoint) {
    byte[] body = event.payload();
    String id = event.id().toString();
    long seconds = Instant.now().getEpochSecond();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(endpoint.uri())
            .timeout(timeout)
            .POST(BodyPublishers.ofByteArray(body));
    if ("http".equalsIgnoreCase(endpoint.uri().getScheme())) {
      request.version(HttpClient.Version.HTTP_1_1); // some servers fail on the offer to upgrade
    }
    endpoint.headers().forEach(request::setHeader);
    request
        .setHeader("content-type", event.contentType().strip())
        .setHeader("webhook-id", id)
        .setHeader("webhook-timestamp", Long.toString(seconds))
        .setHeader("skipjack-event-type", encoded(event.type()))
        .setHeader("skipjack-aggregate-type", encoded(event.aggregate().type()))
        .setHeader("skipjack-aggregate-id", encoded(event.aggregate().id()));
    String signatures = endpoint.signatures(id, seconds, body);
    if (signatures != null) {
      request.setHeader("webhook-signature", signatures);
    }
    String traceparent = event.traceparent();
    if (traceparent != null) {
      request.setHeader("traceparent", traceparent);
    }
    event
        .headers()
        .forEach(
            (name, value) ->
                request.setHeader(
                    "skipjack-header-" + name.replace(':', '-').replace('/', '-'), encoded(value)));
    return request.build();
  }

  /** Percent-encodes {@code %} and all characters other than visible ASCII. */
  private static String encoded(String value) {
    StringBuilder text = new StringBuilder();
    for (byte each : value.getBytes(UTF_8)) {
      if (each > ' ' && each < 0x7f && each != '%') {
        text.append((char) each);
      } else {
        text.append("%%%02X".formatted(each));
      }
    }
    return text.toString();
  }

  private String notResponded(String host) {
    return "%s did not respond within %s".formatted(host, timeout);
  }

  private Response exchange(HttpRequest request, String host) throws InterruptedException {
    DiscardedBody status = new DiscardedBody();
    CompletableFuture<?> response = client.sendAsync(request, status);
    @Nullable String failure = null;
    try {
      response.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      failure = notResponded(host);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause() == null ? failed : failed.getCause();
      failure =
          cause instanceof HttpTimeoutException // the client may detect the timeout first
              ? notResponded(host)
              // Names only the class, because the message may quote what the server sent.
              : "Sending to %s failed with %s".formatted(host, cause.getClass().getSimpleName());
    } finally {
      status.cancel();
      response.cancel(true);
    }
    ResponseInfo info = status.info();
    if (info != null) {
      return Response.of(info.statusCode(), info.headers(), host);
    }
    return Response.withoutResponse(failure == null ? host + " did not respond" : failure);
  }
}
