package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/**
 * An HTTP response, which a door sends.
 *
 * @param status the status code
 * @param headers the headers, in order; a name may occur more than once
 * @param body the body; empty if there is none. Not to be changed
 */
public record Response(int status, List<Header> headers, byte[] body) {

  /**
   * A header.
   *
   * @param name the name
   * @param value the value
   */
  public record Header(String name, String value) {}

  /**
   * Copies the headers.
   *
   * @param status the status code
   * @param headers the headers
   * @param body the body
   */
  public Response {
    headers = List.copyOf(headers);
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

  /** {@return the body as text} */
  public String text() {
    return new String(body, UTF_8);
  }
}
