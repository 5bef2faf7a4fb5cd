// The program of README.md in Rust: the header's functions are declared as they are needed, and a small
// wrapper ends what was begun and turns failures into errors.
//
//   rustc hello.rs -L <folder of libkith-c.so> -l kith-c

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};

#[repr(C)]
struct Field {
    ptr: *mut c_void,
    reserved: *const c_void,
    id: u64,
    src: u64,
    stride: u32,
    flags: u32,
}

#[repr(C)]
struct Iter {
    world: *mut c_void,
    entities: *const u64,
    fields: *const Field,
    count: i32,
    field_count: i32,
    table: *mut c_void,
    offset: i32,
    status: i32,
    rest: [u64; 15], // group, variables, query, event; internal
}

extern "C" {
    fn kith_init() -> *mut c_void;
    fn kith_fini(world: *mut c_void) -> i32;
    fn kith_last_message() -> *const c_char;
    fn kith_component_of(world: *mut c_void, name: *const c_char, size: usize, alignment: usize) -> u64;
    fn kith_new_entity(world: *mut c_void, path: *const c_char) -> u64;
    fn kith_delete(world: *mut c_void, entity: u64) -> i32;
    fn kith_add_pair(world: *mut c_void, entity: u64, relation: u64, target: u64) -> i32;
    fn kith_has_pair(world: *const c_void, entity: u64, relation: u64, target: u64) -> bool;
    fn kith_make_pair(world: *const c_void, relation: u64, target: u64) -> u64;
    fn kith_get_target(world: *const c_void, entity: u64, relation: u64, index: i32) -> u64;
    fn kith_set_id(world: *mut c_void, entity: u64, id: u64, size: usize, value: *const c_void) -> i32;
    fn kith_get_id(world: *const c_void, entity: u64, id: u64) -> *const c_void;
    fn kith_get_name(world: *const c_void, entity: u64) -> *const c_char;
    fn kith_query_new(world: *mut c_void, text: *const c_char) -> *mut c_void;
    fn kith_query_fini(query: *mut c_void);
    fn kith_query_iter(world: *const c_void, query: *const c_void, it: *mut Iter) -> i32;
    fn kith_iter_next(it: *mut Iter) -> bool;
    fn kith_iter_fini(it: *mut Iter);
    fn kith_system_of(
        world: *mut c_void,
        name: *const c_char,
        callback: unsafe extern "C" fn(*mut Iter),
        phase: u64,
        text: *const c_char,
    ) -> u64;
    fn kith_progress(world: *mut c_void, delta_time: f32) -> bool;
    fn kith_field_w_size(it: *const Iter, size: usize, index: i32) -> *mut c_void;
}

const WILDCARD: u64 = 257;
const ON_UPDATE: u64 = 317;

#[derive(Debug)]
#[allow(dead_code)] // main() prints it
struct Error(String);

fn last_error() -> Error {
    unsafe { Error(CStr::from_ptr(kith_last_message()).to_string_lossy().into_owned()) }
}
fn done(status: i32) -> Result<(), Error> {
    if status == 0 { Ok(()) } else { Err(last_error()) }
}
fn made(entity: u64) -> Result<u64, Error> {
    if entity != 0 { Ok(entity) } else { Err(last_error()) }
}

struct World(*mut c_void);

impl Drop for World {
    fn drop(&mut self) {
        unsafe { kith_fini(self.0) };
    }
}

impl World {
    fn new() -> World {
        World(unsafe { kith_init() })
    }
    fn component<T: Copy>(&self, name: &str) -> Result<u64, Error> {
        let name = CString::new(name).unwrap();
        let (size, alignment) = (std::mem::size_of::<T>(), std::mem::align_of::<T>());
        made(unsafe { kith_component_of(self.0, name.as_ptr(), size, alignment) })
    }
    fn entity(&self, name: &str) -> Result<u64, Error> {
        let name = CString::new(name).unwrap();
        made(unsafe { kith_new_entity(self.0, name.as_ptr()) })
    }
    fn set<T: Copy>(&self, entity: u64, id: u64, value: T) -> Result<(), Error> {
        let from = &value as *const T as *const c_void;
        done(unsafe { kith_set_id(self.0, entity, id, std::mem::size_of::<T>(), from) })
    }
    fn get<T: Copy>(&self, entity: u64, id: u64) -> Option<T> {
        unsafe { (kith_get_id(self.0, entity, id) as *const T).as_ref().copied() }
    }
    fn name(&self, entity: u64) -> String {
        let name = unsafe { kith_get_name(self.0, entity) };
        if name.is_null() { String::new() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned() }
    }
    // A system with the query of a text.
    fn system(&self, name: &str, text: &str, f: unsafe extern "C" fn(*mut Iter)) -> Result<u64, Error> {
        let (name, text) = (CString::new(name).unwrap(), CString::new(text).unwrap());
        made(unsafe { kith_system_of(self.0, name.as_ptr(), f, ON_UPDATE, text.as_ptr()) })
    }
    // Calls f for each entity that matches a query of one component.
    fn each<T: Copy>(&self, text: &str, f: impl Fn(u64, &T)) -> Result<(), Error> {
        let text = CString::new(text).unwrap();
        let query = unsafe { kith_query_new(self.0, text.as_ptr()) };
        if query.is_null() {
            return Err(last_error());
        }
        let mut it = std::mem::MaybeUninit::<Iter>::uninit();
        unsafe {
            kith_query_iter(self.0, query, it.as_mut_ptr());
            let it = it.assume_init_mut();
            while kith_iter_next(it) {
                let values = kith_field_w_size(it, std::mem::size_of::<T>(), 1) as *const T;
                for row in 0..it.count as usize {
                    f(*it.entities.add(row), &*values.add(row));
                }
            }
            kith_iter_fini(it);
            kith_query_fini(query);
        }
        Ok(())
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Position {
    x: f64,
    y: f64,
}
#[repr(C)]
#[derive(Clone, Copy)]
struct Velocity {
    x: f64,
    y: f64,
}
#[repr(C)]
#[derive(Clone, Copy)]
struct Trades {
    tons: i32,
}

unsafe extern "C" fn move_ships(it: *mut Iter) {
    let p = kith_field_w_size(it, std::mem::size_of::<Position>(), 1) as *mut Position;
    let v = kith_field_w_size(it, std::mem::size_of::<Velocity>(), 2) as *const Velocity;
    for row in 0..(*it).count as usize {
        (*p.add(row)).x += (*v.add(row)).x;
        (*p.add(row)).y += (*v.add(row)).y;
    }
}

fn main() -> Result<(), Error> {
    let world = World::new();
    let position = world.component::<Position>("Position")?;
    let velocity = world.component::<Velocity>("Velocity")?;
    let trades = world.component::<Trades>("Trades")?;
    let (earth, ship) = (world.entity("Earth")?, world.entity("Ship")?);
    let docked_to = world.entity("DockedTo")?;
    world.set(earth, position, Position { x: 0.0, y: 0.0 })?;
    world.set(ship, position, Position { x: 100.0, y: 40.0 })?;
    world.set(ship, velocity, Velocity { x: -10.0, y: 5.0 })?;
    done(unsafe { kith_add_pair(world.0, ship, docked_to, earth) })?;
    let trades_with_earth = unsafe { kith_make_pair(world.0, trades, earth) };
    world.set(ship, trades_with_earth, Trades { tons: 12 })?;

    world.system("Move", "Position, [in] Velocity", move_ships)?;
    if !unsafe { kith_progress(world.0, 1.0) } {
        return Err(last_error());
    }
    world.each("Position", |e, p: &Position| println!("{} is at {},{}", world.name(e), p.x, p.y))?;
    let dock = unsafe { kith_get_target(world.0, ship, docked_to, 0) };
    let tons = world.get::<Trades>(ship, trades_with_earth).unwrap().tons;
    println!("Ship is docked to {} and trades {} tons with it", world.name(dock), tons);
    done(unsafe { kith_delete(world.0, earth) })?;
    let has_dock = unsafe { kith_has_pair(world.0, ship, docked_to, WILDCARD) };
    println!("Ship has a dock: {}", if has_dock { "yes" } else { "no" });
    Ok(())
}
