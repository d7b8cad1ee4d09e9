package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/** An HTTP response, which the server sends. Immutable. */
public final class Response {

  private final int status;
  private final List<Header> headers;
  private final byte[] body;

  /**
   * A header.
   *
   * @param name the name
   * @param value the value
   */
  public record Header(String name, String value) {}

  Response(int status, List<Header> headers, byte[] body) {
    this.status = status;
    this.headers = List.copyOf(headers);
    this.body = body;
  }

  static Response of(int status, String type, byte[] body) {
    return new Response(status, List.of(new Header("Content-Type", type)), body);
  }

  static Response html(int status, String html) {
    return of(status, "text/html; charset=utf-8", html.getBytes(UTF_8));
  }

  static Response json(int status, String json) {
    return of(status, "application/json", json.getBytes(UTF_8));
  }

  static Response plain(int status, String text) {
    return of(status, "text/plain; charset=utf-8", (text + "\n").getBytes(UTF_8));
  }

  /** Returns a redirect with GET to a path relative to that of the request. */
  static Response seeOther(String location) {
    return new Response(303, List.of(new Header("Location", location)), new byte[0]);
  }

  Response with(String name, String value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, value));
    return new Response(status, more, body);
  }

  Response withoutBody() {
    return new Response(status, headers, new byte[0]);
  }

  /** {@return the status code} */
  public int status() {
    return status;
  }

  /** {@return the headers, in order; a name may occur more than once} */
  public List<Header> headers() {
    return headers;
  }

  /** {@return a copy of the body; empty if there is none} */
  public byte[] body() {
    return body.clone();
  }

  /** {@return the body as text} */
  public String text() {
    return new String(body, UTF_8);
  }
}
