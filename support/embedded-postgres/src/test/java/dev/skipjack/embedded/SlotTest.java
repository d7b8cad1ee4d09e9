package dev.skipjack.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotTest {

  @Test
  void slotsOfOneJvmDiffer(@TempDir Path family) {
    try (Slot first = Slot.lowestFree(family);
        Slot second = Slot.lowestFree(family)) {
      assertThat(first.folder()).isEqualTo(family.resolve("0"));
      assertThat(second.folder()).isEqualTo(family.resolve("1"));
    }
  }

  @Test
  void closedSlotIsTheNextOneTaken(@TempDir Path family) {
    Slot first = Slot.lowestFree(family);
    try (Slot second = Slot.lowestFree(family)) {
      first.close();
      try (Slot third = Slot.lowestFree(family)) {
        assertThat(third.folder()).isEqualTo(first.folder()).isNotEqualTo(second.folder());
      }
    }
  }
}
