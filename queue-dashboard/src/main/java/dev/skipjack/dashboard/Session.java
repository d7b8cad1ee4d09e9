package dev.skipjack.dashboard;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The browser of a user, recognized by a cookie with a random value. It is the base of the tokens
 * of forms, and grants nothing by itself.
 *
 * @param id the value of the cookie
 * @param isNew whether the browser has to be given the cookie
 */
record Session(String id, boolean isNew) {

  static final String COOKIE = "skipjack_session";

  /** The name of the parameter with the token of a form. */
  static final String TOKEN = "token";

  /** The name of the parameter that says what a form changes, which its token covers. */
  static final String TARGET = "target";

  private static final String FORM = "[A-Za-z0-9_-]{32}";

  static Session of(Request request) {
    Optional<String> known =
        request.cookie(name(COOKIE, request.secure())).filter(value -> value.matches(FORM));
    return known.map(id -> new Session(id, false)).orElseGet(() -> new Session(random(), true));
  }

  private static String random() {
    return Signer.random();
  }

  /** Returns the token of a form of this browser, for one user, one address and one target. */
  String token(Signer signer, String user, String path, String target) {
    return signer.sign("form", id, user, path, lines(target));
  }

  /**
   * Returns why a form is refused, or null. It must have been sent by a page of this dashboard to
   * this browser, for the same address and target.
   */
  @Nullable String refuses(Request request, Signer signer, String user) {
    if (isForeign(request)) {
      return "The form was sent by a page of another site.";
    }
    String token = request.field(TOKEN).orElse("");
    String target = target(request);
    return signer.verifies(token, "form", id, user, request.path(), target)
        ? null
        : "The form has expired, for example because the dashboard was restarted. Go back, reload"
            + " the page and try again.";
  }

  /** Returns what a form changes. */
  static String target(Request request) {
    return lines(request.field(TARGET).orElse(""));
  }

  /** Browsers send each line break as CR LF. */
  private static String lines(String text) {
    return text.replace("\r\n", "\n");
  }

  /** Browsers that do not send Sec-Fetch-Site send Origin with every form. */
  private static boolean isForeign(Request request) {
    Optional<String> site = request.header("Sec-Fetch-Site");
    if (site.isPresent()) {
      return !site.get().equals("same-origin");
    }
    Optional<String> origin = request.header("Origin");
    String host = request.header("Host").orElse("").toLowerCase(Locale.ROOT);
    return origin.isPresent()
        && !List.of("http://" + host, "https://" + host)
            .contains(origin.get().toLowerCase(Locale.ROOT));
  }

  /**
   * Returns the name of a cookie. With the prefix, browsers accept it only from this host and over
   * TLS, so that other hosts of the same domain cannot set it.
   */
  static String name(String name, boolean secure) {
    return secure ? "__Host-" + name : name;
  }

  /** Returns the cookie of this browser. */
  String cookie(boolean secure) {
    return cookie(name(COOKIE, secure), id, secure);
  }

  static String cookie(String name, String value, boolean secure) {
    return "%s=%s; Path=/; HttpOnly; SameSite=Strict%s"
        .formatted(name, value, secure ? "; Secure" : "");
  }
}
