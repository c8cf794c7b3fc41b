-- The clinic, as SQL Server's tools have it.
CREATE TABLE dbo.pet_types (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    name NVARCHAR(80) NOT NULL,
    CONSTRAINT uq_pet_types_name UNIQUE (name)
)
GO
CREATE TABLE dbo.owners (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    first_name NVARCHAR(30) NOT NULL,
    last_name NVARCHAR(30) NOT NULL,
    address NVARCHAR(255) NULL,
    city NVARCHAR(80) NULL,
    telephone VARCHAR(20) NULL,
    version INT NOT NULL DEFAULT 0,
    INDEX ix_owners_last_name (last_name)
)
GO
CREATE TABLE dbo.pets (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    name NVARCHAR(30) NOT NULL,
    birth_date DATE NULL,
    weight DECIMAL(6,2) NULL,
    type_id INT NOT NULL,
    owner_id INT NOT NULL,
    CONSTRAINT fk_pets_type FOREIGN KEY (type_id) REFERENCES dbo.pet_types (id),
    CONSTRAINT fk_pets_owner FOREIGN KEY (owner_id) REFERENCES dbo.owners (id)
)
GO
CREATE INDEX ix_pets_owner ON dbo.pets (owner_id)
GO
CREATE TABLE dbo.visits (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    pet_id INT NOT NULL,
    visit_date DATE NOT NULL,
    description NVARCHAR(255) NOT NULL,
    fee DECIMAL(8,2) NOT NULL,
    CONSTRAINT fk_visits_pet FOREIGN KEY (pet_id) REFERENCES dbo.pets (id)
)
GO
CREATE INDEX ix_visits_pet ON dbo.visits (pet_id)
GO
CREATE TABLE dbo.vets (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    first_name NVARCHAR(30) NOT NULL,
    last_name NVARCHAR(30) NOT NULL
)
GO
CREATE TABLE dbo.specialities (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    name NVARCHAR(80) NOT NULL
)
GO
CREATE TABLE dbo.vet_specialities (
    vet_id INT NOT NULL,
    speciality_id INT NOT NULL,
    CONSTRAINT pk_vet_specialities PRIMARY KEY (vet_id, speciality_id),
    CONSTRAINT fk_vet_specialities_vet FOREIGN KEY (vet_id) REFERENCES dbo.vets (id),
    CONSTRAINT fk_vet_specialities_speciality FOREIGN KEY (speciality_id) REFERENCES dbo.specialities (id)
)
GO
