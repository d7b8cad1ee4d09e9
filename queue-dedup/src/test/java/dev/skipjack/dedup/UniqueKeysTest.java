package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UniqueKeysTest {

  @Test
  void shortKeysStayReadable() {
    assertThat(UniqueKeys.ofKind("sync", "user-42").key()).isEqualTo("kind/sync/user-42");
    assertThat(UniqueKeys.ofKind("sync", "user-42").label()).isEqualTo("user-42");
  }

  @Test
  void longKeysAreHashedAsSqlWouldHashThem() {
    String key = "ü".repeat(101);

    // SELECT encode(sha256(convert_to(repeat('ü', 101), 'UTF8')), 'hex')
    assertThat(UniqueKeys.ofKind("sync", key).key())
        .isEqualTo(
            "kind/sync#" + "2bb4522ea0294a150aa9c67d9f4cc654db5efe501d82e722ff5fa6bec4bf2e6c");
    assertThat(UniqueKeys.ofKind("sync", key + "x").key())
        .isNotEqualTo(UniqueKeys.ofKind("sync", key).key());
    assertThat(UniqueKeys.ofKind("sync", key).label()).hasSize(63).endsWith("...");
  }

  @Test
  void theLabelNeverEndsInHalfACharacter() {
    assertThat(UniqueKeys.ofKind("k", "x" + "\uD83D\uDE00".repeat(200)).label())
        .doesNotContain("\uD83D...");
  }
}
