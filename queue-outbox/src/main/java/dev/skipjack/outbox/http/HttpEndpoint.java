package dev.skipjack.outbox.http;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A destination of events: its URI, the secrets that sign requests to it, and headers that each
 * request has. Immutable: each method that adds something returns a changed copy.
 *
 * <p>Only the host of the URI appears in errors and logs, because the path and the query of a
 * webhook's URI are often secret.
 */
public final class HttpEndpoint {

  private static final Pattern TOKEN = Pattern.compile("[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,200}");
  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e\\t]*");

  /**
   * The headers that the JDK's HTTP client refuses, and {@code content-type}, which the publisher
   * sets.
   */
  private static final Set<String> RESERVED =
      Set.of("connection", "content-length", "content-type", "expect", "host", "upgrade");

  private final URI uri;
  private final List<Signature> signatures;
  private final Map<String, String> headers;

  private HttpEndpoint(URI uri, List<Signature> signatures, Map<String, String> headers) {
    this.uri = uri;
    this.signatures = signatures;
    this.headers = headers;
  }

  /**
   * Creates an endpoint whose requests are not signed.
   *
   * @param uri an absolute {@code https} or {@code http} URI
   * @return the endpoint
   * @throws IllegalArgumentException if the URI has another scheme, no host, a fragment, or user
   *     information, which belongs in a header
   */
  public static HttpEndpoint of(URI uri) {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("https") && !scheme.equals("http")) {
      throw new IllegalArgumentException(
          "The scheme of the endpoint is '%s'; use https or http.".formatted(scheme));
    }
    if (uri.getHost() == null) {
      throw new IllegalArgumentException(
          "The URI of the endpoint has no valid host. Write, for example,"
              + " https://hooks.example.com/orders.");
    }
    if (uri.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "The URI of the endpoint at %s contains credentials. Use header(\"Authorization\", ...)."
              .formatted(uri.getHost()));
    }
    if (uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "The URI of the endpoint at %s has a fragment, which is never sent. Remove it."
              .formatted(uri.getHost()));
    }
    return new HttpEndpoint(uri, List.of(), Map.of());
  }

  /**
   * Adds a secret with which requests are signed. If there are several secrets, each request has
   * one signature for each secret, so that a receiver can change its secret without missing an
   * event.
   *
   * @param secret {@code whsec_} and 24 to 64 bytes in Base64, as the Standard Webhooks
   *     specification writes secrets
   * @return a copy with this change
   * @throws IllegalArgumentException if the secret does not have this form; the message does not
   *     contain the secret
   */
  public HttpEndpoint secret(String secret) {
    return secret(Signature.decode(secret));
  }

  /**
   * Adds a secret with which requests are signed, as {@link #secret(String)} does.
   *
   * @param secret 24 to 64 bytes
   * @return a copy with this change
   * @throws IllegalArgumentException if it is shorter or longer
   */
  public HttpEndpoint secret(byte[] secret) {
    List<Signature> more = new ArrayList<>(signatures);
    more.add(new Signature(secret));
    return new HttpEndpoint(uri, List.copyOf(more), headers);
  }

  /**
   * Adds a header to each request, for example {@code Authorization}, or replaces the one with the
   * same name.
   *
   * @param name the name
   * @param value the value
   * @return a copy with this change
   * @throws IllegalArgumentException if the name or the value is not allowed in HTTP, or if the
   *     publisher or the HTTP client sets a header of this name. The message does not contain the
   *     value
   */
  public HttpEndpoint header(String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!TOKEN.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a valid name of an HTTP header.".formatted(name));
    }
    if (RESERVED.contains(lower)
        || lower.startsWith("webhook-")
        || lower.startsWith("skipjack-")
        || lower.equals("traceparent")) {
      throw new IllegalArgumentException(
          "Header '%s' is set by the publisher or the HTTP client. Use another name."
              .formatted(name));
    }
    if (!VALUE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "The value of header '%s' contains a character other than printable ASCII."
              .formatted(name));
    }
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new HttpEndpoint(uri, signatures, Collections.unmodifiableMap(more));
  }

  URI uri() {
    return uri;
  }

  Map<String, String> headers() {
    return headers;
  }

  String host() {
    return uri.getHost();
  }

  /** Returns what identifies the server: scheme, host and port. */
  String server() {
    return "%s://%s:%d".formatted(uri.getScheme(), uri.getHost(), uri.getPort());
  }

  /** Returns the signatures of a message, separated by spaces, or null without a secret. */
  @Nullable String signatures(String id, long seconds, byte[] body) {
    if (signatures.isEmpty()) {
      return null;
    }
    return String.join(" ", signatures.stream().map(each -> each.of(id, seconds, body)).toList());
  }

  /** Returns the host. */
  @Override
  public String toString() {
    return host();
  }
}
