package dev.skipjack.dashboard;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which fields of a payload are shown to users who may see payloads. Must be thread-safe.
 *
 * <pre>{@code
 * Dashboard.on(queue).redact(PayloadView.standard().and(PayloadView.masking("iban", "street")))
 * }</pre>
 */
@FunctionalInterface
public interface PayloadView {

  /** The fields that {@link #standard()} masks. */
  Set<String> SECRETS =
      Set.of(
          "password",
          "passwd",
          "passphrase",
          "secret",
          "token",
          "apikey",
          "accesskey",
          "privatekey",
          "authorization",
          "credential",
          "cookie");

  /**
   * {@return whether a field is masked} The values of a masked field, and all that it contains, are
   * shown as {@code •••}. In error messages, what follows the name of a masked field and a colon or
   * an equals sign is masked too.
   *
   * @param field the name of the field in lower case, and without {@code -} and {@code _}
   */
  boolean masks(String field);

  /** {@return a view that masks fields whose names end with a name of {@link #SECRETS}} */
  static PayloadView standard() {
    return field ->
        SECRETS.stream().anyMatch(secret -> field.endsWith(secret) || field.endsWith(secret + "s"));
  }

  /**
   * {@return a view that masks the fields with the given names, in any case and with or without
   * {@code -} and {@code _}}
   *
   * @param fields the names
   */
  static PayloadView masking(String... fields) {
    Set<String> names =
        Stream.of(fields).map(PayloadView::plain).collect(Collectors.toCollection(TreeSet::new));
    return names::contains;
  }

  /**
   * {@return a view that masks what this view or another one masks}
   *
   * @param other the other view
   */
  default PayloadView and(PayloadView other) {
    return field -> masks(field) || other.masks(field);
  }

  /**
   * {@return the name of a field as {@link #masks} receives it}
   *
   * @param field the name as it is in the payload
   */
  static String plain(String field) {
    return field.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }
}
