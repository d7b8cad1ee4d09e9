package dev.skipjack.embedded;

import dev.skipjack.embedded.Commands.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands as a user that PostgreSQL accepts. For an ordinary user, commands are run directly.
 * PostgreSQL does not accept root, so for root, commands are run as an unprivileged user. Each tool
 * for switching users is tried out first, because its use may be denied, for example by the seccomp
 * profile of a container.
 *
 * <p>Instances are immutable and thread-safe.
 */
final class Unprivileged {

  /**
   * The ways to run a command, in the order in which they are tried. The user namespace comes last,
   * because it leaves root as the owner of the files.
   */
  enum Way {
    AS_IS,
    SETPRIV,
    RUNUSER,
    SU,
    USER_NAMESPACE
  }

  static final String USER_PROPERTY = "skipjack.embedded.user";

  private static final List<String> USUAL_USERS = List.of("postgres", "nobody");
  private static final List<Way> WAYS_TO_ANOTHER_USER = List.of(Way.SETPRIV, Way.RUNUSER, Way.SU);
  private static final Duration TRIAL_LIMIT = Duration.ofSeconds(10);

  private final Commands commands;
  private final Way way;
  private final List<String> prefix;
  private final String user;
  private final long uid;

  private Unprivileged(Commands commands, Way way, List<String> prefix, String user, long uid) {
    this.commands = commands;
    this.way = way;
    this.prefix = prefix;
    this.user = user;
    this.uid = uid;
  }

  /**
   * Returns an instance that uses the first way that works.
   *
   * @param wantedUser the user that root switches to; null for the first of the default users that
   *     exists. Ignored unless the caller is root
   * @throws EmbeddedPostgresException if the caller is root and no way works, or the wanted user
   *     does not exist or is root
   */
  static Unprivileged choose(Commands commands, @Nullable String wantedUser) {
    long me = id(commands, "-u").orElse(0);
    if (me != 0) {
      return new Unprivileged(commands, Way.AS_IS, List.of(), System.getProperty("user.name"), me);
    }
    if (wantedUser != null && id(commands, "-u", wantedUser).orElse(0) == 0) {
      throw new EmbeddedPostgresException(
          "The user '%s' named by -D%s does not exist or is root; name an unprivileged user of this machine."
              .formatted(wantedUser, USER_PROPERTY));
    }
    return (wantedUser == null ? USUAL_USERS.stream() : Stream.of(wantedUser))
        .flatMap(user -> waysTo(commands, user))
        .filter(Unprivileged::works)
        .findFirst()
        .or(() -> userNamespace(commands).filter(Unprivileged::works).findFirst())
        .orElseThrow(
            () ->
                new EmbeddedPostgresException(
                    "PostgreSQL refuses to run as root and neither setpriv, runuser, su nor a user namespace (unshare -U) could"
                        + " switch to an unprivileged user: run as an ordinary user, install util-linux, or give the JDBC"
                        + " URL of a running server."));
  }

  private static Stream<Unprivileged> waysTo(Commands commands, String user) {
    long uid = id(commands, "-u", user).orElse(0);
    if (uid == 0) {
      return Stream.empty();
    }
    long gid = id(commands, "-g", user).orElse(uid);
    return WAYS_TO_ANOTHER_USER.stream()
        .flatMap(
            way -> {
              Path tool = commands.find(program(way));
              return tool == null
                  ? Stream.empty()
                  : Stream.of(
                      new Unprivileged(
                          commands, way, prefix(way, tool.toString(), user, uid, gid), user, uid));
            });
  }

  private static Stream<Unprivileged> userNamespace(Commands commands) {
    Path unshare = commands.find(program(Way.USER_NAMESPACE));
    return unshare == null
        ? Stream.empty()
        : Stream.of(
            new Unprivileged(
                commands, Way.USER_NAMESPACE, List.of(unshare.toString(), "-U"), "root", 0));
  }

  private static String program(Way way) {
    return switch (way) {
      case AS_IS -> throw new IllegalArgumentException("no program needed");
      case SETPRIV -> "setpriv";
      case RUNUSER -> "runuser";
      case SU -> "su";
      case USER_NAMESPACE -> "unshare";
    };
  }

  private static List<String> prefix(Way way, String tool, String user, long uid, long gid) {
    return switch (way) {
      case SETPRIV -> List.of(tool, "--reuid=" + uid, "--regid=" + gid, "--clear-groups");
      case RUNUSER -> List.of(tool, "-u", user, "--");
      // The shell is specified because the one of a user like nobody only prints that the account
      // is not available.
      case SU -> List.of(tool, "-s", "/bin/sh", user, "-c");
      case AS_IS, USER_NAMESPACE -> throw new IllegalArgumentException("not another user");
    };
  }

  private static OptionalLong id(Commands commands, String... arguments) {
    Path id = commands.find("id");
    if (id == null) {
      return OptionalLong.empty();
    }
    List<String> command = new ArrayList<>(List.of(id.toString()));
    command.addAll(List.of(arguments));
    return number(commands.run(command, "", TRIAL_LIMIT));
  }

  private static OptionalLong number(Result result) {
    return result.ok() && result.lastLine().matches("\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(result.lastLine()))
        : OptionalLong.empty();
  }

  private boolean works() {
    OptionalLong became = number(run(List.of("id", "-u"), "", TRIAL_LIMIT));
    return became.isPresent()
        && (way == Way.USER_NAMESPACE ? became.getAsLong() != 0 : became.getAsLong() == uid);
  }

  /**
   * Returns the command that this JVM must start in order to run the given command as the
   * unprivileged user.
   */
  List<String> wrap(List<String> command) {
    List<String> wrapped = new ArrayList<>(prefix);
    if (way == Way.SU) {
      // The command is one string, because su programs treat further arguments differently.
      wrapped.add("exec " + command.stream().map(Shell::quote).collect(Collectors.joining(" ")));
    } else {
      wrapped.addAll(command);
    }
    return wrapped;
  }

  /**
   * Runs a command as the unprivileged user, as {@link Commands#run} does for the user of this JVM.
   */
  Result run(List<String> command, String input, Duration limit) {
    return commands.run(wrap(command), input, limit);
  }

  /**
   * Runs a shell script as the unprivileged user. All changes that root makes in a folder of
   * another user go through this method, so that root cannot be tricked by a link planted there.
   *
   * @param arguments the arguments of the script, {@code $1}, {@code $2} and so on
   */
  Result script(String script, String input, Duration limit, Object... arguments) {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return run(command, input, limit);
  }

  Way way() {
    return way;
  }

  /** Returns the owner of the files: the unprivileged user, or the caller if none is needed. */
  String user() {
    return user;
  }

  long uid() {
    return uid;
  }

  /**
   * Returns whether the server runs as a different user than this JVM, and therefore cannot use a
   * folder of this JVM's user.
   */
  boolean isAnotherUser() {
    return WAYS_TO_ANOTHER_USER.contains(way);
  }
}
