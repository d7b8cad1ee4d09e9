package dev.skipjack.dashboard;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The login by a token, for a dashboard without users of its own. A browser that has presented the
 * token gets a signed cookie; a program sends the token as a bearer token.
 */
final class Login {

  static final String PATH = "/login";
  static final String COOKIE = "skipjack_login";
  static final int SHORTEST = 16;

  private static final Duration VALID = Duration.ofHours(12);
  private static final String BEARER = "Bearer ";

  private final String token;
  private final Access access;
  private final Signer signer;
  private final Clock clock;

  Login(String token, Access access, Signer signer, Clock clock) {
    this.token = token;
    this.access = access;
    this.signer = signer;
    this.clock = clock;
  }

  Optional<Access> of(Request request) {
    boolean known =
        request.cookie(Session.name(COOKIE, request.secure())).filter(this::isValid).isPresent()
            || request
                .header("Authorization")
                .filter(header -> header.startsWith(BEARER))
                .filter(header -> accepts(header.substring(BEARER.length())))
                .isPresent();
    return known ? Optional.of(access) : Optional.empty();
  }

  private boolean isValid(String cookie) {
    String[] parts = cookie.split("\\.", -1);
    return parts.length == 2
        && parts[0].matches("[0-9]{1,12}")
        && signer.verifies(parts[1], "login", parts[0], token)
        && clock.instant().isBefore(Instant.ofEpochSecond(Long.parseLong(parts[0])));
  }

  boolean accepts(String given) {
    return Signer.same(given, token);
  }

  /** Returns the cookie of a browser that has presented the token. */
  String cookie(boolean secure) {
    String until = Long.toString(clock.instant().plus(VALID).getEpochSecond());
    String value = until + "." + signer.sign("login", until, token);
    return Session.cookie(Session.name(COOKIE, secure), value, secure)
        + "; Max-Age="
        + VALID.toSeconds();
  }

  /** Returns the page that asks for the token. */
  static Node page(boolean wasWrong) {
    return Html.tag("section")
        .style("card login")
        .add(
            Html.tag("h1", "Log in"),
            wasWrong
                ? Html.tag("p").style("note bad").set("role", "alert").add("The token is wrong.")
                : Html.NOTHING,
            Html.tag("form")
                .set("method", "post")
                .to("action", Link.of(0, PATH))
                .add(
                    Html.tag("label")
                        .add("Token")
                        .add(
                            Html.tag("input")
                                .set("type", "password")
                                .set("name", "token")
                                .set("autocomplete", "current-password")
                                .flag("required", true)
                                .flag("autofocus", true)),
                    Html.tag("button")
                        .set("type", "submit")
                        .style("button primary")
                        .add("Log in")));
  }
}
