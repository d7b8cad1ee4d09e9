package dev.skipjack.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SafeTextProperties {

  @Property
  void safeTextIsAlwaysTextThatPostgresAccepts(@ForAll("anything") String text) {
    String safe = SafeText.of(text, 100);

    assertThat(safe).doesNotContain("\0").hasSizeLessThanOrEqualTo(100);
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(safe)).isTrue();
  }

  @Property
  void validTextStaysUnchanged(@ForAll("good") String text) {
    assertThat(SafeText.of(text, 1_000)).isEqualTo(text);
  }

  @Provide
  Arbitrary<String> anything() {
    return Arbitraries.strings()
        .withChars('\0', 'a', '\uD83D', '\uDE00', '\uFFFF')
        .ofMaxLength(300);
  }

  @Provide
  Arbitrary<String> good() {
    return Arbitraries.of("a", "\uD83D\uDE00", "ü", "\n", "日")
        .list()
        .ofMaxSize(100)
        .map(parts -> String.join("", parts));
  }
}
