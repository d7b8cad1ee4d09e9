package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCpuTest {

  @TempDir private Path proc;

  @BeforeEach
  void processes() throws IOException {
    process(10, "postgres", 1, "3 4 50 60");
    process(11, "postgres", 10, "100 200 0 0");
    process(12, "postgres", 10, "1000 2000 0 0");
    process(13, "other (10) x", 1, "9000 9000 9000 9000");
    Files.createDirectory(proc.resolve("14"));
    Files.createDirectory(proc.resolve("net"));
  }

  @Test
  void sumIncludesServerLiveChildrenAndEndedChildren() {
    assertThat(ServerCpu.ofBackend(proc, 11).micros())
        .isEqualTo((3 + 4 + 50 + 60 + 300 + 3000) * 10_000.0);
  }

  @Test
  void serverThatDoesNotRunHereHasNoCpuTime() {
    assertThat(ServerCpu.ofBackend(proc, 0).micros()).isNull();
    assertThat(ServerCpu.ofBackend(proc, 13).micros()).isNull();
    assertThat(ServerCpu.ofBackend(proc, 99).micros()).isNull();
    assertThat(ServerCpu.ofBackend(proc.resolve("none"), 11).micros()).isNull();
  }

  private void process(long pid, String program, long parent, String times) throws IOException {
    Path folder = Files.createDirectory(proc.resolve(String.valueOf(pid)));
    Files.writeString(
        folder.resolve("stat"),
        "%d (%s) S %d 1 1 0 -1 4194560 1 2 3 4 %s 20 0 1".formatted(pid, program, parent, times));
  }
}
