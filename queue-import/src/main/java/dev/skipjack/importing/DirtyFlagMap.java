package dev.skipjack.importing;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replaces Quartz's class of the same name when {@link JobData} reads a serialized object of it.
 * Java accepts the replacement because the simple name and the version are the same.
 */
class DirtyFlagMap implements Serializable {

  private static final long serialVersionUID = 1433884852607126222L;

  @SuppressWarnings("serial") // the stream determines the class
  private @Nullable Map<String, Object> map;

  final @Nullable Map<String, Object> map() {
    return map;
  }
}
