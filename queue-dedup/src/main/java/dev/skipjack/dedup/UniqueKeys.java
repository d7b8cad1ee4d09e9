package dev.skipjack.dedup;

import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;

/** Scope and life of a unique key. */
final class UniqueKeys {

  private UniqueKeys() {}

  /** A key among the jobs of one kind; a kind holds neither '/' nor '#'. */
  static UniqueKey ofKind(String kind, String key) {
    StoredKey stored = StoredKey.of("Unique key of kind '" + kind + "'", "kind/" + kind, key);
    return new UniqueKey(stored.text(), stored.label(), UniqueUntil.DEAD);
  }
}
