package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests what happens to a server whose JVM was killed. */
class AfterAKillIT {

  private static TestServers servers;

  @BeforeAll
  static void makeFolder() throws IOException {
    servers = new TestServers();
  }

  @AfterAll
  static void leaveNothingBehind() throws IOException {
    servers.close();
  }

  @Test
  void liveServerOfAKilledJvmIsAdoptedAndNothingRemainsAfterClose() throws Exception {
    ServerHolder killed = ServerHolder.fork(servers.folder(), "plain");
    killed.kill();
    assertThat(killed.serverIsAlive()).isTrue();

    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      assertThat(postgres.adopted()).isTrue();
      assertThat(postgres.postmasterPid()).isEqualTo(killed.pid());
      assertThat(postgres.port()).isEqualTo(killed.port());
      assertThat(TestServers.query(postgres, "SELECT 1")).isEqualTo("1");
      assertThat(TestServers.postmastersBelow(servers.folder())).hasSize(1);
    }

    assertThat(killed.serverIsAlive()).isFalse();
    assertThat(TestServers.processesBelow(killed.data())).isEmpty();
  }

  @Test
  void liveServerWithOtherSettingsIsRestarted() throws Exception {
    ServerHolder killed = ServerHolder.fork(servers.folder(), "plain");
    killed.kill();

    try (EmbeddedPostgres postgres = servers.at("plain").setting("work_mem", "5MB").start()) {
      assertThat(postgres.adopted()).isFalse();
      assertThat(killed.serverIsAlive()).isFalse();
      assertThat(postgres.dataFolder()).isEqualTo(killed.data());
      assertThat(TestServers.query(postgres, "SHOW work_mem")).isEqualTo("5MB");
    }
  }

  @Test
  void deadServerIsRestartedWithItsData() throws Exception {
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      TestServers.execute(postgres, "CREATE TABLE kept (id int)");
    }
    ServerHolder killed = ServerHolder.fork(servers.folder(), "plain");
    killed.kill();
    ProcessHandle.of(killed.pid()).ifPresent(ProcessHandle::destroyForcibly);
    await().until(() -> !killed.serverIsAlive());
    assertThat(killed.data().resolve(Postmaster.FILE)).exists();

    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      assertThat(postgres.adopted()).isFalse();
      assertThat(postgres.dataFolder()).isEqualTo(killed.data());
      assertThat(TestServers.query(postgres, "SELECT count(*) FROM kept")).isEqualTo("0");
      assertThat(TestServers.postmastersBelow(servers.folder())).hasSize(1);
    }
  }

  @Test
  void processIdOfAnotherProcessIsNotTakenForAServer() throws Exception {
    Path data;
    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      data = postgres.dataFolder();
    }
    long ours = ProcessHandle.current().pid();
    Files.writeString(
        data.resolve(Postmaster.FILE),
        "%d\n%s\n1\n5432\n\n127.0.0.1\n\nready   \n".formatted(ours, data));

    try (EmbeddedPostgres postgres = servers.at("plain").start()) {
      assertThat(postgres.adopted()).isFalse();
      assertThat(TestServers.query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void serverLeftInAHigherSlotIsStopped() throws Exception {
    ServerHolder killed;
    try (EmbeddedPostgres lower = servers.at("higher").start()) {
      killed = ServerHolder.fork(servers.folder(), "higher");
      assertThat(killed.data()).isNotEqualTo(lower.dataFolder());
      killed.kill();
    }
    assertThat(killed.serverIsAlive()).isTrue();

    try (EmbeddedPostgres postgres = servers.at("higher").start()) {
      assertThat(postgres.dataFolder()).isNotEqualTo(killed.data());
      assertThat(killed.serverIsAlive()).isFalse();
    }
  }

  @Test
  void ordinaryEndOfTheJvmStopsTheServer() throws Exception {
    ServerHolder holder = ServerHolder.fork(servers.folder(), "plain");

    holder.end();

    assertThat(holder.serverIsAlive()).isFalse();
    assertThat(TestServers.processesBelow(holder.data())).isEmpty();
  }

  @Test
  void twoJvmsCanStartForTheFirstTimeAtOnce() throws Exception {
    Path empty = Files.createDirectory(servers.folder().resolve("empty"));
    List<String> options = List.of("-D" + BaseFolder.FOLDER_PROPERTY + "=" + empty);
    String classPath = System.getProperty("java.class.path");

    Process one = ServerHolder.launch(classPath, options, "first", AfterAKillIT::withStrictUmask);
    Process other = ServerHolder.launch(classPath, options, "first", AfterAKillIT::withStrictUmask);
    ServerHolder first = ServerHolder.started(one);
    ServerHolder second = ServerHolder.started(other);

    assertThat(first.data()).isNotEqualTo(second.data());
    first.end();
    second.end();
  }

  /** Runs a command with a umask that denies other users access to new files. */
  private static List<String> withStrictUmask(List<String> command) {
    List<String> wrapped =
        new ArrayList<>(List.of("/bin/sh", "-c", "umask 077; exec \"$@\"", "sh"));
    wrapped.addAll(command);
    return wrapped;
  }
}
