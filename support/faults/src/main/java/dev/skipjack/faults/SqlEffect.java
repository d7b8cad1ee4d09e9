package dev.skipjack.faults;

import java.util.Locale;
import java.util.regex.Pattern;

/** The effect of a statement on the transaction, determined from its SQL. */
enum SqlEffect {
  BEGIN,
  COMMIT,
  ROLLBACK,
  /** Writes, and commits immediately if no transaction is open. */
  WRITE,
  NONE;

  private static final Pattern WRITES =
      Pattern.compile(
          "(INSERT|UPDATE|DELETE|MERGE)\\b|WITH\\b.*\\b(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO)\\b.*",
          Pattern.DOTALL);

  static SqlEffect of(String sql) {
    String text = sql.strip().toUpperCase(Locale.ROOT);
    return switch (text.split("[\\s;]", 2)[0]) {
      case "BEGIN", "START" -> BEGIN;
      case "COMMIT", "END" -> COMMIT;
      case "ROLLBACK", "ABORT" -> text.contains(" TO ") ? NONE : ROLLBACK;
      default -> WRITES.matcher(text).lookingAt() ? WRITE : NONE;
    };
  }
}
