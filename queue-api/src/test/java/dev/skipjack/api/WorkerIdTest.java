package dev.skipjack.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WorkerIdTest {

  @Test
  void aNameCannotForgeALogLine() {
    assertThat(WorkerId.boot("x\nFORGED\r\u001b[31m\u2028\u0085").name())
        .isEqualTo("x\uFFFDFORGED\uFFFD\uFFFD[31m\uFFFD\uFFFD");
    assertThat(WorkerId.boot("büro-1 \ud83d\ude00").name()).isEqualTo("büro-1 \ud83d\ude00");
  }
}
