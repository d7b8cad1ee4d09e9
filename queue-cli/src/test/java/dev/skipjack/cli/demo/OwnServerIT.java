package dev.skipjack.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.skipjack.cli.Program;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo on a server of its own, in a folder that is not the one of people's demos. */
class OwnServerIT {

  @BeforeEach
  void noDatabaseIsNamed() {
    assumeThat(System.getenv()).doesNotContainKeys("PGHOST", "PGDATABASE");
  }

  @Test
  void eachRunStartsAnewAndCanBeLookedAtAgain() throws Exception {
    Report.of("--server", "demo-test", "--jobs", "20").assertVerified(20);
    Report second = Report.of("--server", "demo-test", "--jobs", "10");
    second.assertVerified(10);
    Report kept = Report.of("--server", "demo-test", "--resume");
    kept.assertVerified(10);
    assertThat(kept.program().err()).contains("PostgreSQL 18");
  }

  @Test
  void withoutAnEarlierRunThereIsNothingToResume() {
    Program program = Program.run("demo", "--server", "demo-test-empty", "--resume");
    assertThat(program.exitCode()).isEqualTo(1);
    assertThat(program.err()).contains("There is nothing to resume");
  }
}
