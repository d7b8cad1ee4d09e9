package dev.skipjack.importing;

/** Replaces Quartz's class of the same name, as {@link DirtyFlagMap} does. */
final class JobDataMap extends StringKeyDirtyFlagMap {

  private static final long serialVersionUID = -6939901990106713909L;
}
