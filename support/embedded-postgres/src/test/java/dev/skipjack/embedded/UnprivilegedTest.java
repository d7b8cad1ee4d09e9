package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.embedded.Unprivileged.Way;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnprivilegedTest {

  private final Machine machine = new Machine();

  @Test
  void ordinaryUserRunsCommandsAsTheyAre() {
    machine.me = 1000;

    Unprivileged who = Unprivileged.choose(machine, null);

    assertThat(who.way()).isEqualTo(Way.AS_IS);
    assertThat(who.isAnotherUser()).isFalse();
    assertThat(who.wrap(List.of("initdb"))).containsExactly("initdb");
  }

  @Test
  void rootUsesSetprivFirst() {
    Unprivileged who = Unprivileged.choose(machine, null);

    assertThat(who.way()).isEqualTo(Way.SETPRIV);
    assertThat(who.user()).isEqualTo("postgres");
    assertThat(who.wrap(List.of("initdb", "-D")))
        .containsExactly(
            "/bin/setpriv", "--reuid=101", "--regid=101", "--clear-groups", "initdb", "-D");
  }

  @Test
  void withoutSetprivRunuserIsUsed() {
    machine.missing.add("setpriv");

    Unprivileged who = Unprivileged.choose(machine, null);

    assertThat(who.way()).isEqualTo(Way.RUNUSER);
    assertThat(who.wrap(List.of("initdb")))
        .containsExactly("/bin/runuser", "-u", "postgres", "--", "initdb");
  }

  @Test
  void withoutSetprivAndRunuserSuIsUsedWithAShellOfItsOwn() {
    machine.missing.addAll(Set.of("setpriv", "runuser"));

    Unprivileged who = Unprivileged.choose(machine, null);

    assertThat(who.way()).isEqualTo(Way.SU);
    assertThat(who.wrap(List.of("echo", "it's")))
        .containsExactly("/bin/su", "-s", "/bin/sh", "postgres", "-c", "exec 'echo' 'it'\\''s'");
  }

  @Test
  void withoutAnyToolAUserNamespaceIsUsedAndRootOwnsTheFiles() {
    machine.missing.addAll(Set.of("setpriv", "runuser", "su"));

    Unprivileged who = Unprivileged.choose(machine, null);

    assertThat(who.way()).isEqualTo(Way.USER_NAMESPACE);
    assertThat(who.isAnotherUser()).isFalse();
    assertThat(who.uid()).isZero();
  }

  @Test
  void aToolWhoseUseIsDeniedIsSkipped() {
    machine.refused.addAll(Set.of("setpriv", "runuser"));

    assertThat(Unprivileged.choose(machine, null).way()).isEqualTo(Way.SU);
  }

  @Test
  void theSecondUserIsUsedWherePostgresDoesNotExist() {
    machine.users.remove("postgres");

    assertThat(Unprivileged.choose(machine, null).user()).isEqualTo("nobody");
  }

  @Test
  void withoutAnyUnprivilegedUserAUserNamespaceIsUsed() {
    machine.users.clear();

    assertThat(Unprivileged.choose(machine, null).way()).isEqualTo(Way.USER_NAMESPACE);
  }

  @Test
  void withoutAnyToolTheErrorNamesTheFixes() {
    machine.missing.addAll(Set.of("setpriv", "runuser", "su"));
    machine.refused.add("unshare");

    assertThatThrownBy(() -> Unprivileged.choose(machine, null))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("run as an ordinary user")
        .hasMessageContaining("install util-linux")
        .hasMessageContaining("JDBC URL")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n").endsWith("."));
  }

  @Test
  void theRequestedUserIsUsed() {
    assertThat(Unprivileged.choose(machine, "nobody").user()).isEqualTo("nobody");
  }

  @Test
  void aUserThatDoesNotExistIsReported() {
    assertThatThrownBy(() -> Unprivileged.choose(machine, "ghost"))
        .isInstanceOf(EmbeddedPostgresException.class)
        .hasMessageContaining("'ghost'")
        .hasMessageContaining(Unprivileged.USER_PROPERTY);
  }

  @Test
  void rootIsNotAnUnprivilegedUser() {
    machine.users.put("root", 0L);

    assertThatThrownBy(() -> Unprivileged.choose(machine, "root"))
        .isInstanceOf(EmbeddedPostgresException.class);
  }

  /**
   * Simulates a machine on which this JVM runs as root. It has only the commands that are needed to
   * choose a way.
   */
  private static final class Machine implements Commands {

    final Set<String> missing = new HashSet<>();
    final Set<String> refused = new HashSet<>();
    final Map<String, Long> users = new HashMap<>(Map.of("postgres", 101L, "nobody", 65534L));
    long me;

    @Override
    public @Nullable Path find(String program) {
      return missing.contains(program) ? null : Path.of("/bin", program);
    }

    @Override
    public Result run(List<String> command, String input, Duration limit) {
      String program = Path.of(command.get(0)).getFileName().toString();
      if (refused.contains(program)) {
        return new Result(1, program + ": Operation not permitted");
      }
      return switch (program) {
        case "id" -> command.size() == 2 ? answer(me) : answer(users.get(command.get(2)));
        case "setpriv" -> answer(Long.parseLong(command.get(1).replace("--reuid=", "")));
        case "runuser" -> answer(users.get(command.get(2)));
        case "su" -> new Result(0, "This account is watched.\n" + users.get(command.get(3)) + "\n");
        case "unshare" -> answer(65534L);
        default -> throw new AssertionError("unexpected " + command);
      };
    }

    private static Result answer(@Nullable Long number) {
      return number == null ? new Result(1, "no such user") : new Result(0, number + "\n");
    }
  }
}
