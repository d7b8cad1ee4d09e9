package dev.skipjack.cli;

import dev.skipjack.api.PayloadException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/** Turns an exception of a command into an exit code and a message with the fix. */
final class Failures {

  /** The SQLSTATEs that mean that the database does not exist or has no free connection. */
  private static final Set<String> NO_ACCESS = Set.of("3D000", "53300");

  private static final Set<String> NO_SCHEMA = Set.of("42P01", "3F000");
  private static final Set<String> OTHER_SCHEMA = Set.of("42703", "42883", "42704");
  private static final String NO_PRIVILEGE = "42501";
  private static final String READ_ONLY = "25006";
  private static final String CANCELLED = "57014";
  private static final String LOCKED = "55P03";

  private static final Pattern PASSWORD = Pattern.compile("(?i)(password=)[^&\\s'\"]*");

  /**
   * Matches a user and password in front of the host, which the driver does not support but users
   * may write.
   */
  private static final Pattern USER_INFO = Pattern.compile("//[^/\\s]*@");

  /** Matches a password in a single argument, up to the next parameter of the URL or the end. */
  private static final Pattern ARGUMENT_PASSWORD = Pattern.compile("(?is)password=[^&]+");

  /** Matches the table in the context of an error while a statement waited for a row. */
  private static final Pattern LOCKED_TABLE = Pattern.compile("in relation \"([^\"]+)\"");

  private Failures() {}

  /** Returns the text without the passwords of the arguments. */
  static String withoutPasswords(String text, List<String> arguments) {
    String masked = text;
    for (String argument : arguments) {
      Matcher password = ARGUMENT_PASSWORD.matcher(argument);
      while (password.find()) {
        masked = masked.replace(password.group(), "password=***");
      }
    }
    return withoutPassword(masked);
  }

  /** Returns the text with the passwords of quoted URLs masked. */
  static String withoutPassword(String text) {
    String masked = PASSWORD.matcher(text).replaceAll("$1***");
    return USER_INFO.matcher(masked).replaceAll("//***@");
  }

  static int exitCode(Throwable failed) {
    if (failed instanceof CommandFailure known) {
      return known.exitCode();
    }
    if (failed instanceof IllegalArgumentException || failed instanceof PayloadException) {
      return ExitCodes.USAGE;
    }
    SQLException rejected = sql(failed);
    if (rejected == null) {
      return ExitCodes.BAD_NEWS;
    }
    String state = String.valueOf(rejected.getSQLState());
    if (isUnreachable(state)) {
      return ExitCodes.UNREACHABLE;
    }
    return NO_SCHEMA.contains(state) ? ExitCodes.USAGE : ExitCodes.BAD_NEWS;
  }

  private static boolean isUnreachable(String state) {
    return state.startsWith("08")
        || state.startsWith("28")
        || state.startsWith("57P")
        || NO_ACCESS.contains(state);
  }

  /** Returns the message for the user. */
  static String sentence(Throwable failed) {
    SQLException rejected = sql(failed);
    String state = rejected == null ? null : rejected.getSQLState();
    if (rejected == null || state == null) {
      return reason(failed);
    }
    if (rejected.getCause() instanceof SocketTimeoutException) {
      return "The server did not respond to a statement within the socketTimeout of the URL, which is 15 s by default for commands that read and 60 s for those that write. A change may or may not have been made: check before you run the command again.";
    }
    if (state.startsWith("28")) {
      return "The database rejected the login: %s. Check the user, and set the password in PGPASSWORD or ~/.pgpass."
          .formatted(reason(failed).replaceFirst("[.\\s]+$", ""));
    }
    if (NO_SCHEMA.contains(state)) {
      return "The database has no queue in this schema. Create it with 'skipjack migrate', or name another schema with --schema.";
    }
    if (OTHER_SCHEMA.contains(state)) {
      return "The queue's tables do not fit this version of the program (SQLSTATE %s). Run 'skipjack migrate --check'."
          .formatted(state);
    }
    return switch (state) {
      case NO_PRIVILEGE ->
          "%s. The user lacks a right that this command needs; docs/guides/roles.md lists the rights of each role."
              .formatted(reason(failed).replaceFirst("[.\\s]+$", ""));
      case READ_ONLY ->
          "This server only allows reading, because it is a standby or is configured so. Connect to the primary.";
      case LOCKED ->
          "The command gave up waiting for a lock%s that another transaction holds. 'skipjack doctor' shows the oldest transaction with its process id. Run the command again when that has ended, or set a longer lock_timeout."
              .formatted(lockedTable(rejected));
      case CANCELLED ->
          "The query was cancelled, because it took longer than %d s or an operator cancelled it. 'skipjack doctor' shows what makes queries slow; the command's filters and --limit, if it has any, let it read less."
              .formatted(KeptConnection.READ_SECONDS);
      default -> reason(failed);
    };
  }

  /** Returns the table whose lock was waited for, if the server named it. */
  private static String lockedTable(SQLException rejected) {
    Matcher relation =
        LOCKED_TABLE.matcher(
            rejected instanceof PSQLException answered && answered.getServerErrorMessage() != null
                ? String.valueOf(answered.getServerErrorMessage().getWhere())
                : "");
    return relation.find() ? " on a row of " + relation.group(1) : "";
  }

  private static @Nullable SQLException sql(Throwable failed) {
    SQLException last = null;
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException found && found.getSQLState() != null) {
        last = found;
      }
    }
    return last;
  }

  /**
   * Returns the message, with that of the root cause if the message omits it. A pool's message, for
   * example, does not name the host.
   */
  private static String reason(Throwable failed) {
    SQLException rejected = sql(failed);
    if (rejected instanceof PSQLException answered
        && answered.getServerErrorMessage() != null
        && String.valueOf(failed.getMessage()).strip().contains("\n")) {
      // A report of several lines, such as those of migrations, repeats the message of the server.
      return String.valueOf(answered.getServerErrorMessage().getMessage());
    }
    String message = failed.getMessage();
    String reason = message == null ? failed.toString() : message;
    Throwable root = failed;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String cause =
        root instanceof UnknownHostException
            ? "unknown host '%s'".formatted(root.getMessage())
            : String.valueOf(root.getMessage());
    String withoutSeverity = cause.replaceFirst("^(ERROR|FATAL): ", "");
    return root == failed || root.getMessage() == null || reason.contains(withoutSeverity)
        ? reason
        : reason.replaceFirst("[.\\s]+$", "") + ": " + cause + ".";
  }
}
