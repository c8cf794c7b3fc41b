package dev.cassidy.service;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.cassandra.core.mapping.Table;

/** A class with setters, as many entities are. */
@Table("purchase")
class Purchase {

    @Id
    private @Nullable Long id;

    private String item = "";

    @Nullable
    Long getId() {
        return id;
    }

    void setId(@Nullable Long id) {
        this.id = id;
    }

    String getItem() {
        return item;
    }

    void setItem(String item) {
        this.item = item;
    }
}
