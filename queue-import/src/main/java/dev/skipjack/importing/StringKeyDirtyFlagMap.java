package dev.skipjack.importing;

/** Replaces Quartz's class of the same name, as {@link DirtyFlagMap} does. */
class StringKeyDirtyFlagMap extends DirtyFlagMap {

  private static final long serialVersionUID = -9076749120524952280L;
}
